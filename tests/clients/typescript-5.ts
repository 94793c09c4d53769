import { registerHooks } from 'node:module'

/**
 * Preloaded by the generators, which work with TypeScript's JavaScript interface. TypeScript 7 has none, and
 * it is what they would find, because npm puts them beside ours as long as they admit any later version.
 */
const typescript = import.meta.resolve('typescript')
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? typescript : specifier, context),
})
