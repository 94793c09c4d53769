-- The version of the picture that orders has confirmed. Until it is the current one, the picture is sent again.
alter table charge_mirrors add column confirmed_version integer not null default 0;
create index charge_mirrors_unconfirmed on charge_mirrors (updated_at) where confirmed_version < version;

-- Cents of the refunds that were made at the processor and have not failed; set from the picture, never added up.
alter table authorizations add column refunded_elsewhere integer not null default 0;
