create index orders_of_restaurant on orders (restaurant_api_key, id desc) where outcome = 'transmitted';
-- A restaurant's open orders: few rows in a table of any size.
create index orders_to_do on orders (restaurant_api_key, id desc)
  where outcome = 'transmitted' and status <> 'DELIVERED' and cancellation is null;
