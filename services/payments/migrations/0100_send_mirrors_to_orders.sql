-- The version that orders has confirmed. Until it is the current version, the row is published again.
alter table charge_mirrors add column confirmed_version integer not null default 0;
create index charge_mirrors_unconfirmed on charge_mirrors (updated_at) where confirmed_version < version;

-- Cents of the refunds that were made at the processor and have not failed. Set from the mirror, never incremented.
alter table authorizations add column refunded_elsewhere integer not null default 0;
