-- A card or address that its user removed stays as an empty row that is nobody's: nothing of it is left but its
-- apiKey, so that accounts.save, should it be said again after that, finds it and does not bring it back.
alter table cards alter column user_api_key drop not null;
alter table cards add column removed_at timestamptz;
alter table cards add check ((user_api_key is null) = (removed_at is not null));

alter table addresses alter column user_api_key drop not null;
alter table addresses add column removed_at timestamptz;
alter table addresses add check ((user_api_key is null) = (removed_at is not null));
