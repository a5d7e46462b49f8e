import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { markdownKeys } from '../ui/markdown-keys.ts'
import { type ShortcutGroup, shortcutGroups } from './use-shortcuts.ts'

/** The shortcuts of single views, which have their own listeners. */
const groupsOfViews: readonly ShortcutGroup[] = [
  {
    title: 'Calendar and timeline',
    shortcuts: [
      { keys: ['Shift', '← →'], description: 'A day earlier or later' },
      { keys: ['Shift', 'Alt', '← →'], description: 'End a day earlier or later (timeline)' },
      { keys: ['Shift', '↑ ↓'], description: 'Assign to the person above or below (timeline)' },
    ],
  },
  {
    title: 'Texts',
    shortcuts: [
      { keys: markdownKeys.Bold, description: 'Bold' },
      { keys: markdownKeys.Italic, description: 'Italic' },
      { keys: markdownKeys.Link, description: 'Link' },
      { keys: ['Ctrl', 'Enter'], description: 'Save or send the text' },
    ],
  },
  {
    title: 'Week and inbox',
    shortcuts: [
      { keys: ['F2'], description: 'Open the entries of a cell of the week' },
      { keys: ['E'], description: 'Mark a notification as read' },
      { keys: ['U'], description: 'Mark a notification as unread' },
    ],
  },
]

export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const { extensions } = useServices().configuration
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <div class="shortcuts">
        {[...shortcutGroups, ...groupsOfViews].map(({ title, shortcuts }) => (
          <section key={title} class="shortcut-sheet">
            <h3>{t(title)}</h3>
            <dl>
              {shortcuts
                .filter(({ isExtension }) => extensions || !isExtension)
                .map(({ keys, description }) => (
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
}
