import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type CSSOptions, defineConfig, type Plugin } from 'vite'

/**
 * The screens whose files are in the first script, unless `laterFiles` names them. Files in their subfolders, and all
 * other screens, are in the second script: none of them is needed for the first load.
 */
const firstScreens = ['project', 'sign-in']
const laterFiles = [
  'activity-section',
  'assignment-bar',
  'assignment-steps',
  'bars',
  'calendar-address',
  'change-chips',
  'change-list',
  'change-many',
  'change-texts',
  'command-palette',
  'confirm-dialog',
  'comment-form',
  'csv',
  'daily-target',
  'done-mark',
  'fields',
  'filter-menu',
  'focus-rules',
  'form',
  'form-fields',
  'fuzzy',
  'group-changes',
  'identity',
  'known-records',
  'labels-dialog',
  'markdown-text',
  'markdown-tools',
  'members-dialog',
  'name-lookup',
  'new-assignment',
  'new-assignment-chips',
  'notification-text',
  'option-search',
  'overlays',
  'palette-commands',
  'palette-items',
  'palette-steps',
  'palette-values',
  'panel-form',
  'panel-sections',
  'period-view',
  'project-sub-page',
  'project-switcher',
  'queue-dialog',
  'recorded-hours',
  'relations',
  'row-facts',
  'row-filter',
  'settings-page',
  'sorted-hint',
  'typed-texts',
  'uncover-card',
  'use-history',
  'view-controls',
  'view-dialog',
]
const missing = [
  ...firstScreens.map((name) => `screens/${name}/*`),
  ...laterFiles.map((name) => `**/${name}.{ts,tsx}`),
].filter((pattern) => globSync(`src/${pattern}`, { cwd: import.meta.dirname }).length === 0)
if (missing.length > 0) throw new Error(`The scripts name files that do not exist: ${missing.join(', ')}.`)
const later = new RegExp(`/screens/(?!(${firstScreens.join('|')})/[^/]+$)|/(${laterFiles.join('|')})\\.tsx?$`)

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // The Content-Security-Policy permits no `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // There are two scripts: the application with the project's board, which the first load needs, and the
          // other screens. A script for each screen would add a fifth to the total. The texts of another
          // language are a third script, which is loaded only by users who have chosen that language.
          groups: [
            { name: 'later', test: later, includeDependenciesRecursively: false, priority: 2 },
            { name: 'tracker', test: /^(?!.*\/texts\/pt-br)/, priority: 1 },
          ],
        },
      },
    },
  },
  css: { postcss: { plugins: [hoverOfPointers()] } },
  plugins: [importPlainly(), finish()],
})

type StylePlugin = NonNullable<Exclude<NonNullable<CSSOptions['postcss']>, string>['plugins']>[number]

/** Limits looks under the pointer to devices that have one: a finger would leave them behind. */
function hoverOfPointers(): StylePlugin {
  return {
    postcssPlugin: 'hover-of-pointers',
    Once(root, { AtRule }) {
      root.walkRules((rule) => {
        const hovered = rule.selectors.filter(isHovered)
        if (hovered.length === 0 || (rule.parent instanceof AtRule && /hover|fine/.test(rule.parent.params)))
          return
        const media = new AtRule({ name: 'media', params: '(hover: hover)' })
        media.append(rule.clone({ selectors: hovered }))
        rule.after(media)
        if (hovered.length === rule.selectors.length) rule.remove()
        else rule.selectors = rule.selectors.filter((selector) => !isHovered(selector))
      })
    },
  }
}

/** Returns whether a selector needs the pointer on an element; `:not(:hover)` does not. */
const isHovered = (selector: string): boolean => selector.replace(/:not\([^)]*\)/g, '').includes(':hover')

/** Replaces code that loads the styles and scripts of an imported script before it: here, none has any. */
function importPlainly(): Plugin {
  const helper = '\0vite/preload-helper.js'
  return {
    name: 'import-plainly',
    enforce: 'pre',
    load: (id) => (id === helper ? 'export const __vitePreload = (load) => load()' : undefined),
  }
}

/** Lists the built files for the service worker, and compresses them. */
function finish(): Plugin {
  let folder = ''
  return {
    name: 'finish',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir)
    },
    generateBundle(_options, bundle) {
      const first = Object.values(bundle).find((file) => file.type === 'chunk' && file.isEntry)
      if (first?.type === 'chunk' && first.imports.some((name) => name.includes('later-')))
        this.error('The first script imports a file of the second one. Import it with import(), or move it.')
    },
    writeBundle() {
      listFiles(folder)
      compress(folder)
    },
  }
}

/**
 * Writes the names of the files of this build into the service worker. Their contents determine its version.
 */
function listFiles(folder: string): void {
  const worker = join(folder, 'worker.js')
  const names = globSync('**/*.*', { cwd: folder })
    .filter((name) => !['index.html', 'worker.js'].includes(name))
    .sort()
  const hash = createHash('sha256')
  for (const name of ['index.html', 'worker.js', ...names]) hash.update(readFileSync(join(folder, name)))
  const values = {
    'self.builtFiles': JSON.stringify(names.map((name) => `/${name}`)),
    'self.buildVersion': `'${hash.digest('hex').slice(0, 16)}'`,
  }
  let text = readFileSync(worker, 'utf8')
  for (const [name, value] of Object.entries(values)) text = text.replace(name, value)
  writeFileSync(worker, text)
}

/** Also writes a compressed copy of each file, so that the host compresses nothing. */
function compress(folder: string): void {
  for (const name of globSync('**/*.{html,js,css,svg,webmanifest}', { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
  }
}
