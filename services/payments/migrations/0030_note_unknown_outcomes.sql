-- Facts for an operator about a call to the processor with an unknown outcome. Written only after a response without a known
-- outcome, so that ordinary updates of an order stay on their page.
alter table authorizations
  -- The time of the first unknown outcome; null once the outcome is known.
  add column unknown_since timestamptz,
  add column unknown_call text,
  add column unknown_reason text,
  -- The number of unknown outcomes over the life of the row.
  add column unknown_answers integer not null default 0;
create index authorizations_unknown on authorizations (unknown_since) where unknown_since is not null;
-- For reconciliation, which reads the rows by time. created_at never changes.
create index authorizations_by_age on authorizations (created_at);
