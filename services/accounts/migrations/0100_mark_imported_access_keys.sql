-- An imported key was created by another system: it has neither Platter's prefix nor its checksum.
alter table access_keys add column imported boolean not null default false;
-- The gateway reads the hashes of all imported keys, and whether they have changed since its last read.
create index access_keys_imported on access_keys (created_at, hash) where imported;
