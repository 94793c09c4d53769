import { command } from '../message.ts'
import { StepRef } from './saga.ts'

/** Transmits the order to its restaurant through the restaurant's link. */
export const RestaurantsTransmit = command('restaurants.transmit', 'orders', StepRef)
