-- An imported key was made by another system: it has neither our prefix nor our checksum.
alter table access_keys add column imported boolean not null default false;
-- The gateway asks for all of them, and whether there are others than the last time.
create index access_keys_imported on access_keys (created_at, hash) where imported;
