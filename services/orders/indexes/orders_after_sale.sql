create index concurrently orders_after_sale on orders (restaurant_api_key, id desc)
  where cancellation is not null or refunds is not null
