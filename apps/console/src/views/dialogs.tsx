import { dialog } from '#/ui.ts'
import { OffDialog } from '#/views/off-dialog.tsx'
import { PauseDialog } from '#/views/pause-dialog.tsx'
import { RefundDialog } from '#/views/refund-dialog.tsx'
import { RefuseDialog } from '#/views/refuse-dialog.tsx'
import { SettingsDialog } from '#/views/settings-dialog.tsx'

export function Dialogs() {
  const { value } = dialog
  switch (value?.kind) {
    case undefined:
      return null
    case 'refuse':
      return <RefuseDialog order={value.order} />
    case 'refund':
      return <RefundDialog order={value.order} />
    case 'pause':
      return <PauseDialog />
    case 'settings':
      return <SettingsDialog />
    case 'off':
      return <OffDialog entry={value.entry} />
  }
}
