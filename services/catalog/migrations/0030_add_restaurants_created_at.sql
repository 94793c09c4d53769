-- For the operator's list, newest first. Those that are there already are as old as this column.
alter table restaurants add column created_at timestamptz not null default now();
create index restaurants_by_age on restaurants (created_at, api_key);
