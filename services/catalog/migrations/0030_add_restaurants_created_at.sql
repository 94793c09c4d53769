-- For the operator's list, newest first. Existing restaurants receive the time of this migration.
alter table restaurants add column created_at timestamptz not null default now();
create index restaurants_by_age on restaurants (created_at, api_key);
