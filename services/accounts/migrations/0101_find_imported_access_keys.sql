-- A partial index by `imported` alone is read from one end to the other; this one is searched.
drop index access_keys_imported;
create index access_keys_imported on access_keys (imported, created_at);
