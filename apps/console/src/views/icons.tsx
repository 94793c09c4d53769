import type { ComponentChildren } from 'preact'

const icon = (shape: ComponentChildren) => () => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    {shape}
  </svg>
)

export const Bag = icon(<path d="M5 8h14l1 12H4zM9 10V7a3 3 0 0 1 6 0v3" />)
export const Scooter = icon(
  <path d="M3 16h4m5 0h4M9.5 18.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zm10 0a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM3 16v-2a4 4 0 0 1 4-4h5v6m5 0L15 5h-3" />,
)
export const Clock = icon(<path d="M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 4v5l3.5 2" />)
export const Alert = icon(<path d="M12 3 2.5 20h19zM12 10v4m0 3v.2" />)
export const Bell = icon(<path d="M6 17V11a6 6 0 0 1 12 0v6l2 2H4zm4 4h4" />)
export const BellOff = icon(
  <path d="M6 17v-6c0-.8.2-1.5.5-2.2M9 5.8A6 6 0 0 1 18 11v4M4 19h14M10 22h4M3 3l18 18" />,
)
export const Pause = icon(<path d="M8 5v14M16 5v14" />)
export const Gear = icon(
  <path d="M4 7h9m6 0h1M4 17h1m6 0h9M16 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z" />,
)
export const Printer = icon(<path d="M7 9V4h10v5M7 18H4v-8h16v8h-3M7 14h10v7H7z" />)
export const Check = icon(<path d="m5 13 4.5 4.5L19 7" />)
export const Close = icon(<path d="m6 6 12 12M18 6 6 18" />)
export const Phone = icon(
  <path d="M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z" />,
)
export const Pin = icon(
  <path d="M12 21s7-6.5 7-11.5a7 7 0 0 0-14 0C5 14.5 12 21 12 21zm0-9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z" />,
)
export const Speech = icon(<path d="M4 5h16v11H11l-5 4v-4H4z" />)
export const Search = icon(<path d="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20 20" />)
