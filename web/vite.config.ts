import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

const laterScreens =
  /\/screens\/(project\/(list|calendar|timeline)|account|activity|administration|assignment-key|clients|impediments|import|inbox|links|project-settings|removed|reports|webhooks|week)\/|\/(change-many|use-period-rows|view-props|lanes|recorded-hours|filter|assignment-bar|period-steps|notification-text)\.ts/

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // The content policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Two files: the screens of every day, and the others. A file for each screen would cost a fifth more in all.
          // The texts of another language are a third one, which only those load who chose it.
          groups: [
            { name: 'later', test: laterScreens, includeDependenciesRecursively: false, priority: 2 },
            { name: 'tracker', test: /^(?!.*\/texts\/pt-br)/, priority: 1 },
          ],
        },
      },
    },
  },
  plugins: [compress()],
})

/** Writes each file compressed as well, so that the host compresses nothing. */
function compress(): Plugin {
  let folder = ''
  return {
    name: 'compress',
    apply: 'build',
    configResolved(config) {
      folder = join(config.root, config.build.outDir)
      if (config.build.outDir.startsWith('/')) folder = config.build.outDir
    },
    closeBundle() {
      for (const name of globSync('**/*.{html,js,css,svg}', { cwd: folder })) {
        const content = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
      }
    },
  }
}
