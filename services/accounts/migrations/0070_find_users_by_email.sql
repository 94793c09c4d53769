-- Whoever signs in is looked for by lower(… collate "C"), which compares by that collation: the index of the unique
-- constraint has the database's, and all users were read instead.
create index users_by_email on users (email_key collate "C");
