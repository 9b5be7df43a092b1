// Takes pictures of the page: `node pictures.mjs ADDRESS FOLDER`, with a server that has games. MODULES as for browser.mjs.
import { createRequire } from 'node:module';

const require = createRequire(process.env.MODULES ?? import.meta.url);
const { chromium } = require('playwright-core');
const [address, folder] = process.argv.slice(2);
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
for (const [width, height, colorScheme, tab] of [[1280, 800, 'light', 'games'], [1280, 800, 'dark', 'stream'], [390, 844, 'light', 'games']]) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    await page.goto(address);
    await page.waitForSelector('#board use');
    await page.click(`[data-tab=${tab}]`);
    if (tab === 'stream') {
        await page.waitForSelector('.row.position');
        await page.locator('.row.position').last().click();
    }
    await page.waitForTimeout(1000);
    await page.screenshot({ path: `${folder}/web-${tab}-${width}x${height}.png` });
}
await browser.close();
