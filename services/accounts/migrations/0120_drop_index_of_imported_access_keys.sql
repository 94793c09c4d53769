-- No statement searches for imported keys: the gateway requests each key by its hash.
drop index access_keys_imported;
