-- A link and the attendance of its restaurant are set in one statement. Webhooks from before the table attendance, and those whose
-- replica died between two statements of an earlier version, get their row here: attended, and their ping is due.
insert into attendance (restaurant_api_key, ping_at, has_succeeded)
select restaurant_api_key, now(), true from restaurant_links
where link ->> 'kind' = 'webhook' and restaurant_api_key not in (select restaurant_api_key from attendance where ping_at is not null)
order by restaurant_api_key
on conflict (restaurant_api_key) do update set ping_at = excluded.ping_at;
