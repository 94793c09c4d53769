-- domain/search.ts removes apostrophes from search words. Without this, "joe's" would no longer find a restaurant of that name. The
-- earlier text stays until the restaurant or its menu is replaced, because replicas of the earlier version search it.
-- 2,000 restaurants with 6 MB of item names take about a second. The limit of 3 s is for requests.
set local statement_timeout = '60s';
update restaurants set
  search_text = search_text || E'\n' || translate(search_text, '''’‘ʼ`', ''),
  menu_text = menu_text || E'\n' || translate(menu_text, '''’‘ʼ`', '')
where search_text || menu_text ~ '[''’‘ʼ`]';
