-- No version reads it: the alert of an incident has its own time.
alter table known_incidents drop column began_at;
