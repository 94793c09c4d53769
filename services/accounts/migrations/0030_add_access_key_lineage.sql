-- For a key that replaced another key: the first key of the chain. Idempotency keys and request counts are stored under it, so a
-- client that changes to its new key keeps both.
alter table access_keys add column lineage_id text;
create index access_keys_of_application on access_keys (application_id, created_at, id) where kind = 'application';
create index access_keys_of_restaurant on access_keys (restaurant_api_key, created_at, id) where kind = 'restaurant';
