import type { Operation } from '#/operation.ts'
import {
  ApplicationAccessKeys,
  IssueAccessKey,
  IssueOperatorAccessKey,
  IssueRestaurantAccessKey,
  OperatorAccessKeys,
  RestaurantAccessKeys,
  RevokeAccessKey,
  RotateAccessKey,
} from '#/operations/access-keys.ts'
import { AddAddress } from '#/operations/add-address.ts'
import { AddCard } from '#/operations/add-card.ts'
import { ChoiceAvailability } from '#/operations/choice-availability.ts'
import { ItemAvailability } from '#/operations/item-availability.ts'
import { Applications, CreateApplication } from '#/operations/applications.ts'
import { ReadAttention, RetryAttention } from '#/operations/attention.ts'
import { ItemCustomizations } from '#/operations/item-customizations.ts'
import { OrderByKey } from '#/operations/order-by-key.ts'
import { GetOrderStatus } from '#/operations/order-status.ts'
import { OrderStatuses } from '#/operations/order-statuses.ts'
import { GetOrderStory } from '#/operations/order-story.ts'
import { GetOrder } from '#/operations/order.ts'
import { OwnMenu } from '#/operations/own-menu.ts'
import { OwnRestaurant } from '#/operations/own-restaurant.ts'
import { PauseRestaurant } from '#/operations/pause.ts'
import { PutMenu } from '#/operations/put-menu.ts'
import { PutRestaurantLink } from '#/operations/put-restaurant-link.ts'
import { PutRestaurant } from '#/operations/put-restaurant.ts'
import { Reconciliation } from '#/operations/reconciliation.ts'
import { RegisterUser } from '#/operations/register-user.ts'
import { RemoveAddress } from '#/operations/remove-address.ts'
import { RemoveCard } from '#/operations/remove-card.ts'
import { RestaurantDetails } from '#/operations/restaurant-details.ts'
import { RestaurantMenu } from '#/operations/restaurant-menu.ts'
import { RestaurantOrdersStream } from '#/operations/restaurant-orders-stream.ts'
import {
  GetRestaurantOrder,
  RefuseOrder,
  ReportStatus,
  RestaurantOrders,
} from '#/operations/restaurant-orders.ts'
import { RestaurantSearch, RestaurantSearchTest } from '#/operations/restaurant-search.ts'
import { ResumeRestaurant } from '#/operations/resume.ts'
import { Restaurants } from '#/operations/restaurants.ts'
import { SendOrder } from '#/operations/send-order.ts'
import { Signin } from '#/operations/signin.ts'
import { UpdateUser } from '#/operations/update-user.ts'
import { UserOrders } from '#/operations/user-orders.ts'
import { GetUser } from '#/operations/user.ts'
import { ValidateOrder } from '#/operations/validate-order.ts'

export * from '#/operations/access-keys.ts'
export * from '#/operations/add-address.ts'
export * from '#/operations/add-card.ts'
export * from '#/operations/applications.ts'
export * from '#/operations/choice-availability.ts'
export * from '#/operations/item-availability.ts'
export * from '#/operations/attention.ts'
export * from '#/operations/item-customizations.ts'
export * from '#/operations/order-by-key.ts'
export * from '#/operations/order-status.ts'
export * from '#/operations/order-statuses.ts'
export * from '#/operations/order-story.ts'
export * from '#/operations/order.ts'
export * from '#/operations/own-menu.ts'
export * from '#/operations/own-restaurant.ts'
export * from '#/operations/pause.ts'
export * from '#/operations/put-menu.ts'
export * from '#/operations/put-restaurant-link.ts'
export * from '#/operations/put-restaurant.ts'
export * from '#/operations/reconciliation.ts'
export * from '#/operations/register-user.ts'
export * from '#/operations/remove-address.ts'
export * from '#/operations/remove-card.ts'
export * from '#/operations/restaurant-details.ts'
export * from '#/operations/restaurant-menu.ts'
export * from '#/operations/restaurant-orders-stream.ts'
export * from '#/operations/restaurant-orders.ts'
export * from '#/operations/restaurant-search.ts'
export * from '#/operations/resume.ts'
export * from '#/operations/restaurants.ts'
export * from '#/operations/send-order.ts'
export * from '#/operations/signin.ts'
export * from '#/operations/update-user.ts'
export * from '#/operations/user-orders.ts'
export * from '#/operations/user.ts'
export * from '#/operations/validate-order.ts'

/** Every endpoint that the gateway routes. */
export const operations: readonly Operation[] = [
  RestaurantSearch,
  RestaurantSearchTest,
  RestaurantDetails,
  RestaurantMenu,
  ItemCustomizations,
  RegisterUser,
  Signin,
  GetUser,
  UpdateUser,
  AddCard,
  RemoveCard,
  AddAddress,
  RemoveAddress,
  SendOrder,
  ValidateOrder,
  GetOrder,
  OrderByKey,
  GetOrderStatus,
  OrderStatuses,
  UserOrders,
  RestaurantOrders,
  RestaurantOrdersStream,
  GetRestaurantOrder,
  ReportStatus,
  RefuseOrder,
  OwnRestaurant,
  OwnMenu,
  ItemAvailability,
  ChoiceAvailability,
  PauseRestaurant,
  ResumeRestaurant,
  Restaurants,
  PutRestaurant,
  PutMenu,
  PutRestaurantLink,
  Applications,
  CreateApplication,
  ApplicationAccessKeys,
  IssueAccessKey,
  RestaurantAccessKeys,
  IssueRestaurantAccessKey,
  OperatorAccessKeys,
  IssueOperatorAccessKey,
  RotateAccessKey,
  RevokeAccessKey,
  GetOrderStory,
  Reconciliation,
  ReadAttention,
  RetryAttention,
]
