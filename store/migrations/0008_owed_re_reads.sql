-- As in pending_re_reads. False: taken over from there, with its claims.
ALTER TABLE staging_re_reads ADD COLUMN without_claim boolean NOT NULL DEFAULT true;
