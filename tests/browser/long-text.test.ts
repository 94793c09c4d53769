import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maria, refuse } from '../e2e/client.ts'
import {
  aConsole,
  browserProgram,
  button,
  cardIn,
  startBrowser,
  place,
  signIn,
  sizes,
  toSalina,
  type OwnRestaurant,
} from './console.ts'

/* Customers and menus may have words of 100 characters and more. They must not cut off any part of an order. */

/** One word without a possible line break. */
const word = (start: string, length: number): string => start.padEnd(length, 'abcdefghij')

const NOTE = `${word('Nut', 200)} ALLERGIC TO PEANUTS`

let browser: Browser
let own: OwnRestaurant
/** One page for all sizes, because a new page costs a second of a core. */
let page: Page
/** One order that is open, and one that was refused with a long reason. */
let orders: Record<'open' | 'finished', Awaited<ReturnType<typeof place>>>

const placeOne = () =>
  place(own, {
    ...toSalina,
    address: { ...toSalina.address, aptNumber: word('Floor', 50) },
    recipient: { ...maria, firstName: word('Wolfe', 100), lastName: word('Schlegel', 100) },
    comments: NOTE,
  })

/**
 * Returns texts with a part outside of the box, or outside of an inner element that clips its content. Texts only for screen
 * readers are clipped by design, and also names in the line of a finished order.
 */
const cutOff = (box: Locator): Promise<string[]> =>
  box.evaluate((root) => {
    const found: string[] = []
    const cuts = (element: Element) => element === root || getComputedStyle(element).overflow !== 'visible'
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parent = text.parentElement
      if (!parent || parent.closest('.hidden, .text, summary .name')) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      for (let element: Element | null = parent; element; element = element.parentElement) {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        const isOut = (rect: DOMRect) =>
          rect.left < left - 1 || rect.right > right + 1 || rect.top < top - 1 || rect.bottom > bottom + 1
        if (cuts(element) && [...range.getClientRects()].some(isOut))
          found.push(`${text.textContent?.slice(0, 20)} in ${element.getAttribute('class')}`)
        if (element === root) break
      }
    }
    for (const element of [root, ...root.querySelectorAll('*:not(.hidden, .text, summary .name)')])
      if (cuts(element) && element.scrollWidth > element.clientWidth)
        found.push(
          `${element.tagName} ${element.getAttribute('class')}: ${element.scrollWidth} > ${element.clientWidth}`,
        )
    return found
  })

const VIEWPORTS = {
  'a tablet of 1024 px': { width: 1_024, height: 768 },
  'a phone': sizes.phone,
  'the smallest phone': { width: 320, height: 568 },
  'a desk': sizes.desktop,
}
const viewports = Object.entries(VIEWPORTS)

/** The end of the note must be on the card in full. */
const noteOf = (order: Locator) => order.getByText('ALLERGIC TO PEANUTS')

const isWiderThanScreen = (): Promise<boolean> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('.top, .board, .column')].some(
      (element) => element.scrollWidth > element.clientWidth || element.clientWidth > innerWidth,
    ),
  )

/** On a screen that does not show all columns side by side, each column has a button. */
async function show(column: RegExp): Promise<void> {
  const choose = page.getByRole('button', { name: column })
  if (await choose.isVisible()) await choose.click()
}

describe.skipIf(browserProgram() === null)('words that are longer than a line', () => {
  beforeAll(async () => {
    browser = await startBrowser()
    const names = { restaurant: word('Lantern', 100), soup: word('Lentil', 100), chili: word('Chili', 100) }
    own = await aConsole('detailed', names)
    orders = { open: await placeOne(), finished: await placeOne() }
    await refuse(orders.finished.apiKey, word('Sorry', 400), own.key)
    ;({ page } = await signIn(browser, own))
  })
  afterAll(() => browser.close())

  test.each(viewports)('do not clip an open order on %s', async (name, viewport) => {
    await page.setViewportSize(viewport)
    const shown = cardIn(page, 'New', orders.open)
    await noteOf(shown).waitFor()
    await shown.scrollIntoViewIfNeeded()
    expect(await cutOff(shown)).toEqual([])
    expect(await isWiderThanScreen()).toBe(false)
  })

  test.each(viewports)('do not clip a finished order on %s', async (name, viewport) => {
    await page.setViewportSize(viewport)
    await show(/Done$/)
    const shown = cardIn(page, 'Done', orders.finished)
    // The previous size has expanded it. A second click there would belong to a double tap.
    if (!(await noteOf(shown).isVisible())) await shown.locator('summary').click()
    await noteOf(shown).waitFor()
    expect(await cutOff(shown)).toEqual([])
  })

  test('do not clip a ticket of 80 mm', async () => {
    // 80 mm at 96 px an inch.
    await page.setViewportSize({ width: 302, height: 800 })
    await show(/New$/)
    await button(page, `Print order ${orders.open.id}`).click()
    await page.emulateMedia({ media: 'print' })
    const ticket = page.locator('.ticket')
    await noteOf(ticket).waitFor()
    expect(await cutOff(ticket)).toEqual([])
    const { width } = (await ticket.boundingBox()) ?? { width: 0 }
    // 72 mm, the printed width of printers for 80 mm.
    expect(width).toBeLessThanOrEqual((72 / 25.4) * 96 + 1)
  })
})
