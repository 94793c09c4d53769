import { dialog } from '../ui.ts'
import { OffDialog } from './off-dialog.tsx'
import { PauseDialog } from './pause-dialog.tsx'
import { RefuseDialog } from './refuse-dialog.tsx'
import { SettingsDialog } from './settings-dialog.tsx'

export function Dialogs() {
  const { value } = dialog
  switch (value?.kind) {
    case undefined:
      return null
    case 'refuse':
      return <RefuseDialog order={value.order} />
    case 'pause':
      return <PauseDialog />
    case 'settings':
      return <SettingsDialog />
    case 'off':
      return <OffDialog entry={value.entry} />
  }
}
