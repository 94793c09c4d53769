/** Escapes a text for the content or an attribute of an element. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Returns an amount in cents as a decimal. */
export const money = (amount: number): string => (amount / 100).toFixed(2)

/** Returns a page of the processor or of a bank. */
export const htmlPage = (title: string, { style, body }: { style: string; body: string }): string =>
  `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style>
${body}</html>`
