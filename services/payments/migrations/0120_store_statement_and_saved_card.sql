-- As sent to the processor with the authorization, like `authentication`: a repeated call must have the same body. Null in rows of
-- the previous version, which sent neither.
alter table authorizations
  -- The part of the text on the customer's card statement that identifies the restaurant.
  add column statement_suffix text,
  -- Whether the card is saved to the account of the recipient.
  add column saves_card boolean;
