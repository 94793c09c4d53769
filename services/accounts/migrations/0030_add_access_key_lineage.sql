-- Of a key that replaced another one: the first of their line. What is kept by access key (idempotency keys,
-- the count of requests) is kept by this, so that a client that changes to its new key goes on where it was.
alter table access_keys add column lineage_id text;
create index access_keys_of_application on access_keys (application_id, created_at, id) where kind = 'application';
create index access_keys_of_restaurant on access_keys (restaurant_api_key, created_at, id) where kind = 'restaurant';
