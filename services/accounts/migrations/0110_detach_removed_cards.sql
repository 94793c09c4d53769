-- The outbox of detachments: the tokens of removed cards that are not yet detached at the payment processor. The transaction that
-- erases the card inserts the row, and the detachment deletes it.
create table card_detachments (
  card_api_key text primary key,
  token text not null,
  -- The first attempt is an hour after the removal, because an earlier order may still need the card.
  due_at timestamptz not null,
  attempts integer not null default 0
);
create index card_detachments_due on card_detachments (due_at);
alter table card_detachments enable row level security;
-- A client may remove a card, but reads no token.
create policy add_removed_card on card_detachments for insert with check (true);

-- Two cards may have the same token, if one processor token was added twice. The token is detached with the last of them.
create index cards_of_token on cards (token) where user_api_key is not null;
