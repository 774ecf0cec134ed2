-- Since PostgreSQL 15 the sequence behind an identity column of an unlogged table is unlogged too,
-- and a replica that was promoted may find it in ruins ("bad magic number in sequence", seen with
-- 15.18). These are sequences of their own, and logged; CACHE: a record of it for a page, not a row.
CREATE SEQUENCE staging_object_numbers CACHE 1000;
ALTER TABLE staging_objects
  ALTER COLUMN object_id DROP IDENTITY,
  ALTER COLUMN object_id SET DEFAULT nextval('staging_object_numbers');
SELECT setval('staging_object_numbers', max(object_id)) FROM staging_objects HAVING count(*) > 0;

CREATE SEQUENCE staging_claim_numbers;
ALTER TABLE staging_claims
  ALTER COLUMN claim_number DROP IDENTITY,
  ALTER COLUMN claim_number SET DEFAULT nextval('staging_claim_numbers');
SELECT setval('staging_claim_numbers', max(claim_number)) FROM staging_claims HAVING count(*) > 0;
