-- A sign-in searches by lower(… collate "C"), which compares by that collation. The index of the unique constraint has the
-- collation of the database, so all users were read.
create index users_by_email on users (email_key collate "C");
