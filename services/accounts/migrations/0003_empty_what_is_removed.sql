-- A card or address that its user removed stays as an empty row without a user. Only its apiKey remains, so that a republished
-- accounts.save finds it and does not insert it again.
alter table cards alter column user_api_key drop not null;
alter table cards add column removed_at timestamptz;
alter table cards add check ((user_api_key is null) = (removed_at is not null));

alter table addresses alter column user_api_key drop not null;
alter table addresses add column removed_at timestamptz;
alter table addresses add check ((user_api_key is null) = (removed_at is not null));
