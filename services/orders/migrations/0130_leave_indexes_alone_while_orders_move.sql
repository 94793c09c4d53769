-- An update that changes no column of an index writes no index (PostgreSQL manual, "Heap-Only Tuples"). Every step of an order
-- wrote all seven indexes of `orders`, because status, outcome, cancellation and changed_in were in three of them. Two columns
-- that change rarely replace these: is_open, once, at the end; changed_bucket, every 16,384 transactions.

-- Buckets are ordered as positions are: what has changed from a position on is in the position's bucket or in a later one. They
-- count from this migration: all that changed before is in bucket -1, and no row is rewritten. Under the lock, so that every
-- transaction that has changed an order is below the snapshot's xmax.
do $migration$ begin
  lock table orders in access exclusive mode;
  execute format($$
    create function bucket_of(changed_in xid8) returns bigint language sql immutable
      return (changed_in::text::bigint - %s) >> 14
  $$, pg_snapshot_xmax(pg_current_snapshot()));
  -- With the name of the schema, which is not in the search_path of an operator's session.
  execute format($$
    create or replace function note_change() returns trigger language plpgsql as $function$
    begin
      new.changed_in := pg_current_xact_id();
      new.changed_bucket := %I.bucket_of(new.changed_in);
      new.is_open := new.status <> 'DELIVERED' and new.cancellation is null and new.outcome <> 'failed';
      return new;
    end $function$
  $$, current_schema);
end $migration$;

-- is_open: neither delivered, nor cancelled, nor failed. Null for orders that were closed before this migration.
alter table orders
  add column changed_bucket bigint not null default -1,
  add column is_open boolean;
update orders set is_open = true where outcome = 'transmitted' and status <> 'DELIVERED' and cancellation is null;

alter table orders
  alter column changed_in set default pg_current_xact_id(),
  alter column changed_bucket set default bucket_of(pg_current_xact_id()),
  alter column is_open set default true;

-- The default of changed_in replaces it.
drop trigger orders_change_at_acceptance on orders;

drop index orders_of_restaurant, orders_to_do, orders_changed;
create index orders_of_restaurant on orders (restaurant_api_key, id desc);
-- The orders that a restaurant still has to make: few rows, however many orders there ever were.
create index orders_open on orders (restaurant_api_key, id desc) where is_open;
create index orders_changed on orders (restaurant_api_key, changed_bucket);

-- The next version of a row needs room on its page. Four orders fit and two more versions; at 80, 44 % of the updates of 16
-- orders at a time write no index, at 70 it is 78 %.
alter table orders set (fillfactor = 70);
