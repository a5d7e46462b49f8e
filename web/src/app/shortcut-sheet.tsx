import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { shortcuts } from './use-shortcuts.ts'

export const ShortcutSheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
    <dl class="shortcut-sheet">
      {shortcuts.map(({ keys, does }) => (
        <div key={does}>
          <dt>{t(does)}</dt>
          <dd>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
