-- The tokens of removed cards, until they are detached at the payment processor: the row is the outbox. It is written by the
-- transaction that erases the card, and deleted after the detachment.
create table card_detachments (
  card_api_key text primary key,
  token text not null,
  -- The first time is an hour after the removal, because an order that was sent before may still need the card.
  due_at timestamptz not null,
  attempts integer not null default 0
);
create index card_detachments_due on card_detachments (due_at);
alter table card_detachments enable row level security;
-- A client removes a card, and reads no token.
create policy add_removed_card on card_detachments for insert with check (true);

-- Two cards may have one token, of one processor token that was added twice. It is detached with the last of them.
create index cards_of_token on cards (token) where user_api_key is not null;
