import { registerHooks } from 'node:module'

/**
 * Preloaded by the generators, which need the JavaScript interface of TypeScript 5. TypeScript 7 has none, and npm installs the
 * generators beside it because their range admits any later version.
 */
const typescript = import.meta.resolve('typescript')
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? typescript : specifier, context),
})
