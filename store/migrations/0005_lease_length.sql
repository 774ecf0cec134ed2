-- Replicas may be configured with different lengths: a standby waits as long as the holder counts on.
ALTER TABLE leases ADD COLUMN length_ms bigint NOT NULL DEFAULT 0;
