-- What a person is told of a call to the processor whose outcome is not known. Written only when an answer leaves
-- it open, so that the way of an order, whose updates stay on their page, is not longer for it.
alter table authorizations
  -- Since when; null as soon as it is known.
  add column unknown_since timestamptz,
  add column unknown_call text,
  add column unknown_reason text,
  -- How many answers left it open, over the whole life of the row.
  add column unknown_answers integer not null default 0;
create index authorizations_unknown on authorizations (unknown_since) where unknown_since is not null;
-- For reconciliation, which goes through the rows by time. created_at never changes.
create index authorizations_by_age on authorizations (created_at);
