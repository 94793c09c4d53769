import type { OwnCategory } from '@platter/contracts'
import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { timeOf } from '#/clock.ts'
import {
  choicesOf,
  entriesOf,
  entryOf,
  menu,
  menuFailed,
  readMenu,
  setAvailability,
  type Entry,
  type Item,
} from '#/menu.ts'
import { dialog } from '#/ui.ts'
import { Search } from '#/views/icons.tsx'
import { OffDialog } from '#/views/off-dialog.tsx'

/** Another screen may change the menu too. */
const READ_AGAIN_MS = 15_000

export function MenuView() {
  const words = useSignal('')
  const found = useComputed(() => matching(menu.value ?? [], words.value))
  useEffect(() => {
    void readMenu()
    const again = setInterval(() => void readMenu(), READ_AGAIN_MS)
    return () => clearInterval(again)
  }, [])
  if (menuFailed.value) return <Failed />
  if (menu.value === null) return <p class="loading">Loading the menu …</p>
  const off = entriesOf(menu.value).filter(({ available }) => !available)
  return (
    <div class="menu">
      <div class="find">
        <label htmlFor="find" class="hidden">
          Find on the menu
        </label>
        <Search />
        <input
          id="find"
          type="search"
          placeholder="Find on the menu"
          value={words.value}
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
      </div>
      {words.value === '' && <OffNow entries={off} />}
      {found.value.map((category) => (
        <CategoryOf key={category.apiKey} category={category} />
      ))}
      {found.value.length === 0 && <p class="nothing">No entry of the menu contains this text.</p>}
    </div>
  )
}

function Failed() {
  return (
    <div class="loading" role="alert">
      <p>The menu could not be read.</p>
      <button onClick={() => void readMenu()}>Try again</button>
    </div>
  )
}

function matching(categories: readonly OwnCategory[], words: string): OwnCategory[] {
  const wanted = words.trim().toLowerCase()
  const has = (name: string) => name.toLowerCase().includes(wanted)
  return categories
    .map((category) => ({
      ...category,
      items: category.items.filter(
        (item) => has(item.name) || choicesOf(item).some((choice) => has(choice.name)),
      ),
    }))
    .filter(({ items }) => items.length > 0)
}

function OffNow({ entries }: { entries: readonly Entry[] }) {
  return (
    <section aria-labelledby="off-now">
      <h2 class="spread" id="off-now">
        Off now <span class="number">{entries.length}</span>
      </h2>
      {entries.length === 0 ? (
        <p class="nothing">Everything on the menu can be ordered.</p>
      ) : (
        <ul class="entries panel">
          {entries.map((entry) => (
            <li key={entry.apiKey}>
              <EntryRow entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function CategoryOf({ category: { apiKey, name, items } }: { category: OwnCategory }) {
  return (
    <section aria-labelledby={`category-${apiKey}`}>
      <h2 id={`category-${apiKey}`}>{name}</h2>
      <ul class="entries panel">
        {items.map((item) => (
          <li key={item.apiKey}>
            <EntryRow entry={entryOf('item', item, null)} />
            <ChoicesOf item={item} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ChoicesOf({ item }: { item: Item }) {
  const choices = choicesOf(item)
  if (choices.length === 0) return null
  const off = choices.filter(({ available }) => !available).length
  return (
    <details class="choices-of">
      <summary class="quiet">
        {choices.length} choices{off > 0 && `, ${off} off`}
        <span class="hidden"> of {item.name}</span>
      </summary>
      <ul class="entries panel">
        {choices.map((choice) => (
          <li key={choice.apiKey}>
            <EntryRow entry={{ ...choice, of: null }} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function EntryRow({ entry }: { entry: Entry }) {
  const { name, of, available, availableAgain } = entry
  return (
    <div class={available ? 'entry row' : 'entry row is-off'}>
      <p>
        {name}
        {of && <span class="quiet"> · {of}</span>}
        {!available && (
          <small class="error">
            {availableAgain === null ? 'Off' : `Off until ${timeOf(availableAgain)}`}
          </small>
        )}
      </p>
      {available ? (
        <button onClick={() => (dialog.value = <OffDialog entry={entry} />)}>
          Switch off<span class="hidden"> {name}</span>
        </button>
      ) : (
        <button
          class="primary of-ready"
          onClick={() => void setAvailability(entry, { available: true, until: null })}
        >
          Switch on<span class="hidden"> {name}</span>
        </button>
      )}
    </div>
  )
}
