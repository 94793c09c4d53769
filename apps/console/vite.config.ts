import { defineConfig } from 'vite'

/** The names of assets contain a hash of their content, so browsers may cache them permanently. */
export default defineConfig({
  base: '/console/',
  // The caller sets the directory. dev/stack/console.ts builds beside `dist` and swaps the directories, so that no request receives
  // a partial build.
  build: {
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The policy of the page allows no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
