create index orders_of_restaurant on orders (restaurant_api_key, id desc) where outcome = 'transmitted';
-- What a restaurant still has to do: few rows, however many orders there ever were.
create index orders_to_do on orders (restaurant_api_key, id desc)
  where outcome = 'transmitted' and status <> 'DELIVERED' and cancellation is null;
