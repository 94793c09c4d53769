-- A partial index by `imported` alone is scanned completely; this index is searched.
drop index access_keys_imported;
create index access_keys_imported on access_keys (imported, created_at);
