import type { Operation } from '../operation.ts'
import {
  ApplicationAccessKeys,
  IssueAccessKey,
  IssueOperatorAccessKey,
  IssueRestaurantAccessKey,
  OperatorAccessKeys,
  RestaurantAccessKeys,
  RevokeAccessKey,
  RotateAccessKey,
} from './access-keys.ts'
import { AddAddress } from './add-address.ts'
import { AddCard } from './add-card.ts'
import { ChoiceAvailability } from './choice-availability.ts'
import { ItemAvailability } from './item-availability.ts'
import { Applications, CreateApplication } from './applications.ts'
import { ReadAttention, RetryAttention } from './attention.ts'
import { ItemCustomizations } from './item-customizations.ts'
import { OrderByKey } from './order-by-key.ts'
import { GetOrderStatus } from './order-status.ts'
import { OrderStatuses } from './order-statuses.ts'
import { GetOrderStory } from './order-story.ts'
import { GetOrder } from './order.ts'
import { OwnMenu } from './own-menu.ts'
import { OwnRestaurant } from './own-restaurant.ts'
import { PauseRestaurant } from './pause.ts'
import { PutMenu } from './put-menu.ts'
import { PutRestaurantLink } from './put-restaurant-link.ts'
import { PutRestaurant } from './put-restaurant.ts'
import { Reconciliation } from './reconciliation.ts'
import { RegisterUser } from './register-user.ts'
import { RemoveAddress } from './remove-address.ts'
import { RemoveCard } from './remove-card.ts'
import { RestaurantDetails } from './restaurant-details.ts'
import { RestaurantMenu } from './restaurant-menu.ts'
import { RestaurantOrdersStream } from './restaurant-orders-stream.ts'
import { GetRestaurantOrder, RefuseOrder, ReportStatus, RestaurantOrders } from './restaurant-orders.ts'
import { RestaurantSearch, RestaurantSearchTest } from './restaurant-search.ts'
import { ResumeRestaurant } from './resume.ts'
import { Restaurants } from './restaurants.ts'
import { SendOrder } from './send-order.ts'
import { Signin } from './signin.ts'
import { UpdateUser } from './update-user.ts'
import { UserOrders } from './user-orders.ts'
import { GetUser } from './user.ts'
import { ValidateOrder } from './validate-order.ts'

export * from './access-keys.ts'
export * from './add-address.ts'
export * from './add-card.ts'
export * from './applications.ts'
export * from './choice-availability.ts'
export * from './item-availability.ts'
export * from './attention.ts'
export * from './item-customizations.ts'
export * from './order-by-key.ts'
export * from './order-status.ts'
export * from './order-statuses.ts'
export * from './order-story.ts'
export * from './order.ts'
export * from './own-menu.ts'
export * from './own-restaurant.ts'
export * from './pause.ts'
export * from './put-menu.ts'
export * from './put-restaurant-link.ts'
export * from './put-restaurant.ts'
export * from './reconciliation.ts'
export * from './register-user.ts'
export * from './remove-address.ts'
export * from './remove-card.ts'
export * from './restaurant-details.ts'
export * from './restaurant-menu.ts'
export * from './restaurant-orders-stream.ts'
export * from './restaurant-orders.ts'
export * from './restaurant-search.ts'
export * from './resume.ts'
export * from './restaurants.ts'
export * from './send-order.ts'
export * from './signin.ts'
export * from './update-user.ts'
export * from './user-orders.ts'
export * from './user.ts'
export * from './validate-order.ts'

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
