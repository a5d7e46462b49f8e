import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { shortcutGroups } from './use-shortcuts.ts'

export const ShortcutSheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
    <div class="shortcuts">
      {shortcutGroups.map(({ title, shortcuts }) => (
        <section key={title} class="shortcut-sheet">
          <h3>{t(title)}</h3>
          <dl>
            {shortcuts.map(({ keys, description }) => (
              <div key={description}>
                <dt>{t(description)}</dt>
                <dd>
                  <Keys keys={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
)
