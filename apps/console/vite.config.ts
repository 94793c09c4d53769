import { defineConfig } from 'vite'

/** Assets carry a hash of their content in the name, so that the gateway may let browsers keep them for ever. */
export default defineConfig({
  base: '/console/',
  // The caller sets the directory: dev/stack/console.ts builds beside `dist` and swaps, so that no request gets a partial build.
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The policy of the page lets no script through that stands in the page itself.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
