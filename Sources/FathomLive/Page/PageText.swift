/// The page: one document without anything from elsewhere.
enum PageText {
  /// The whole document.
  static let document = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Fathom live</title>
    <link rel="icon" href="data:,">
    <style>
    \(style)
    </style>
    </head>
    <body>
    <header>
    <h1>Fathom <span>live</span></h1>
    <p id="status" class="pill wait" role="status">connecting</p>
    <p class="figure"><b id="clock">–</b> s</p>
    <p class="figure"><b id="rate">–</b> ranges/s</p>
    <div class="buttons">
    <button id="pause" aria-pressed="false">Pause</button>
    <button id="follow" aria-pressed="false">Follow</button>
    <button id="fit">Fit</button>
    </div>
    </header>
    <main>
    <section id="plan" aria-label="Plan">
    <canvas id="canvas" tabindex="0" aria-label="Plan of anchors, zones and tags; the table Tags has the positions"></canvas>
    <p id="empty">No position yet: waiting for ranges.</p>
    <p class="hint">drag to move, wheel to zoom</p>
    </section>
    <div id="side">
    <section id="problems" hidden><h2>Diagnoses</h2><ul id="diagnoses"></ul></section>
    <section><h2>Tags <small id="tag-count"></small></h2>
    <div class="scroll"><table id="tags"><thead><tr><th>tag</th><th>status</th><th class="n">x m</th><th class="n">y m</th><th class="n">z m</th><th class="n">± m</th><th class="n">age s</th></tr></thead><tbody></tbody></table></div>
    </section>
    <section id="zone-section" hidden><h2>Zones</h2><ul id="zones"></ul></section>
    <section id="residual-section" hidden><h2>Residuals <small id="residual-tag"></small></h2>
    <div id="residuals"></div></section>
    <section><h2>Links <small id="link-note"></small></h2>
    <div class="scroll"><table id="links"><thead><tr><th>tag</th><th>anchor</th><th class="n">distance m</th><th class="n">rate Hz</th><th class="n">loss</th><th class="n">score</th><th class="n">level dBm</th><th class="n">first path</th><th>use</th></tr></thead><tbody></tbody></table></div>
    </section>
    <section><h2>News</h2><ol id="news"></ol></section>
    </div>
    </main>
    <script>
    \(PageScript.state)
    \(PageScript.plan)
    \(PageScript.tables)
    \(PageScript.events)
    </script>
    </body>
    </html>
    """

  private static let style = """
    :root { --ink: #1b1f24; --soft: #59636e; --faint: #8b949e; --line: #d5dae0; --ground: #f5f6f8;
      --card: #ffffff; --plan: #fbfcfd; --grid: #e8ebef; --accent: #0b62c4; --good: #18794e;
      --warn: #9a5b00; --bad: #b42318; --zone: rgba(11,98,196,.08); --lit: rgba(24,121,78,.25); }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a5aeb8; --faint: #7a848f;
      --line: #343b44; --ground: #12151a; --card: #1a1f26; --plan: #161a20; --grid: #232932;
      --accent: #6cb0ff; --good: #5fcf95; --warn: #e3b341; --bad: #ff8a80;
      --zone: rgba(108,176,255,.10); --lit: rgba(95,207,149,.28); } }
    * { box-sizing: border-box; }
    html, body { margin: 0; height: 100%; }
    body { display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
      font: 14px/1.4 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
    header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; padding: 8px 14px;
      background: var(--card); border-bottom: 1px solid var(--line); }
    header p, h1, h2 { margin: 0; }
    h1 { font-size: 16px; font-weight: 650; }
    h1 span { color: var(--soft); font-weight: 400; }
    h2 { font-size: 12px; font-weight: 650; color: var(--soft); margin-bottom: 6px;
      text-transform: uppercase; letter-spacing: .04em; }
    h2 small { font-size: 12px; font-weight: 400; text-transform: none; letter-spacing: 0; }
    .figure { color: var(--soft); min-width: 5em; }
    .figure b { color: var(--ink); font-variant-numeric: tabular-nums; font-weight: 600; }
    .pill { padding: 1px 10px; border-radius: 10px; border: 1px solid currentColor; font-size: 12px; }
    .live { color: var(--good); } .wait, .paused { color: var(--warn); } .gone { color: var(--bad); }
    .buttons { margin-left: auto; display: flex; gap: 6px; }
    button { font: inherit; padding: 4px 12px; border: 1px solid var(--line); border-radius: 6px;
      background: var(--card); color: var(--ink); cursor: pointer; }
    button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--card); }
    button:focus-visible, canvas:focus-visible, tr:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1fr) minmax(380px, 37%); }
    #plan { position: relative; min-height: 0; background: var(--plan); }
    canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab; }
    #empty { position: absolute; inset: auto 0 45% 0; text-align: center; color: var(--soft); pointer-events: none; }
    .hint { position: absolute; right: 10px; bottom: 6px; margin: 0; font-size: 11px; color: var(--faint); pointer-events: none; }
    #side { overflow-y: auto; border-left: 1px solid var(--line); padding: 10px; display: flex;
      flex-direction: column; gap: 10px; }
    #side section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
    .scroll { overflow: auto; max-height: 320px; }
    table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
    th { text-align: left; font-weight: 500; color: var(--soft); font-size: 12px; position: sticky; top: 0; background: var(--card); }
    th, td { padding: 2px 8px 2px 0; white-space: nowrap; }
    td { border-top: 1px solid var(--grid); }
    .n { text-align: right; }
    #tags tbody tr { cursor: pointer; }
    #tags tr.chosen td { background: var(--zone); }
    tr.lost td { color: var(--faint); }
    tr.lost td:first-child::after { content: " (lost)"; font-size: 11px; }
    .dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 6px; }
    tr.lost .dot { background: var(--faint) !important; }
    .used, .tracking { color: var(--good); }
    .discounted, .coasting, .ambiguous, .inconsistent, .starting, .late, .duplicate { color: var(--warn); }
    .unused { color: var(--bad); }
    tr.lost td span { color: inherit; }
    ul, ol { margin: 0; padding: 0; list-style: none; }
    #zones { display: flex; flex-wrap: wrap; gap: 6px; }
    #zones li { padding: 2px 10px; border: 1px solid var(--line); border-radius: 6px; color: var(--soft); }
    #zones li.lit { background: var(--lit); color: var(--ink); border-color: var(--good); }
    #diagnoses li { padding-left: 10px; border-left: 3px solid var(--bad); margin-bottom: 6px; }
    #news { font-size: 12.5px; color: var(--soft); max-height: 180px; overflow: auto; }
    #news li { padding: 2px 0; border-top: 1px solid var(--grid); overflow-wrap: anywhere; }
    .bar { display: grid; grid-template-columns: 5em 1fr 5em; gap: 8px; align-items: center; font-size: 12.5px; font-variant-numeric: tabular-nums; }
    .bar i { display: block; position: relative; height: 10px; background: var(--grid); border-radius: 2px; }
    .bar i::after { content: ""; position: absolute; left: 50%; top: -2px; bottom: -2px; width: 1px; background: var(--faint); }
    .bar i b { position: absolute; top: 0; bottom: 0; background: var(--accent); border-radius: 2px; }
    @media (max-width: 820px) { body { height: auto; min-height: 100%; } main { display: block; }
      #plan { height: 58vh; } #side { border-left: 0; border-top: 1px solid var(--line); }
      .buttons { margin-left: 0; } .hint { display: none; } }
    """
}
