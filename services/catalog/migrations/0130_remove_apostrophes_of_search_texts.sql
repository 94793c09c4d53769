-- domain/search.ts removes apostrophes from search words. Without this, "joe's" would no longer find a restaurant of that name.
-- 2,000 restaurants with 6 MB of item names take less than a second. The limit of 3 s is for requests.
set local statement_timeout = '60s';
update restaurants set
  search_text = replace(replace(search_text, '''', ''), '’', ''),
  menu_text = replace(replace(menu_text, '''', ''), '’', '')
where search_text || menu_text ~ '[''’]';
