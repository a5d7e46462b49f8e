import { t } from '../texts/text.ts'
import { Dialog } from './dialog.tsx'

export interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  onConfirm(): void
  onClose(): void
}

/** A question before something that the person could not undo. */
export const ConfirmDialog = ({ title, text, confirmLabel, onConfirm, onClose }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{text}</p>
    <div class="form-buttons">
      <button type="button" class="button" data-autofocus onClick={onClose}>
        {t('Cancel')}
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          onClose()
          onConfirm()
        }}
      >
        {confirmLabel}
      </button>
    </div>
  </Dialog>
)
