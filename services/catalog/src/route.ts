import type { router } from '@platter/kit'

/** Declares a route, as `router` of the kit makes it. */
export type Route = ReturnType<typeof router>
