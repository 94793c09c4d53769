-- The last seven digits of the recipient's telephone number, which are equal in every spelling (src/store/order-search.ts).
create index concurrently orders_of_phone on orders (
  right(ltrim(regexp_replace(lower(details -> 'recipient' ->> 'phone'), '(ext|x|#).*$|\(0\)|[^0-9]', '', 'g'), '0'), 7),
  id desc
)
