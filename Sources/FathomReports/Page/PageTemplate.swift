/// The page as a Mustache template, well-formed as XML.
enum PageTemplate {
  /// The whole page; its context is a ``ReportPage``.
  static let page = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta name="color-scheme" content="light dark"/>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"/>
    <title>{{title}}</title>
    <style>
    {{{style}}}
    </style>
    </head>
    <body>
    <header>
    <h1>{{title}}</h1>
    <p>{{subtitle}}</p>
    {{#hasContents}}
    <nav aria-label="Contents"><ul>
    {{#contents}}
    <li><a href="#{{identifier}}">{{text}}</a></li>
    {{/contents}}
    </ul></nav>
    {{/hasContents}}
    </header>
    <main>
    {{#sections}}
    <section><details id="{{identifier}}"{{^isFolded}} open="open"{{/isFolded}}>
    <summary><h2>{{heading}}</h2></summary>
    {{#hasConclusions}}
    <dl class="conclusions">
    {{#conclusions}}
    <div><dt>{{term}}</dt><dd>{{value}}</dd></div>
    {{/conclusions}}
    </dl>
    {{/hasConclusions}}
    {{#hasContents}}
    <nav aria-label="{{heading}}"><ul>
    {{#contents}}
    <li><a href="#{{identifier}}">{{text}}</a></li>
    {{/contents}}
    </ul></nav>
    {{/hasContents}}
    {{#lead}}
    <p class="lead">{{.}}</p>
    {{/lead}}
    {{#command}}
    <p class="lead"><code>{{.}}</code></p>
    {{/command}}
    {{#messages}}
    <p class="{{kind}}"><strong>{{label}}</strong> {{text}}</p>
    {{/messages}}
    {{#hasFacts}}
    <dl class="facts">
    {{#facts}}
    <div><dt>{{term}}</dt><dd>{{value}}</dd></div>
    {{/facts}}
    </dl>
    {{/hasFacts}}
    {{#hasFigures}}
    <div class="figures">
    {{#figures}}
    <figure><details id="{{identifier}}"{{^isFolded}} open="open"{{/isFolded}}>
    <summary><h3>{{heading}}</h3></summary>
    {{#drawing}}
    {{{.}}}
    {{/drawing}}
    <figcaption>{{caption}}</figcaption>
    </details></figure>
    {{/figures}}
    </div>
    {{/hasFigures}}
    {{#tables}}
    <details class="table" id="{{identifier}}"{{^isFolded}} open="open"{{/isFolded}}>
    <summary><h3>{{heading}}</h3></summary>
    <div role="region" aria-label="{{heading}}" tabindex="0">
    <table>
    <thead><tr>{{#columns}}<th scope="col"{{#isNumber}} class="number"{{/isNumber}}>{{text}}</th>{{/columns}}</tr></thead>
    <tbody>
    {{#rows}}
    <tr>{{#cells}}{{#isHeading}}<th scope="row">{{text}}</th>{{/isHeading}}{{^isHeading}}<td{{#isNumber}} class="number"{{/isNumber}}>{{text}}</td>{{/isHeading}}{{/cells}}</tr>
    {{/rows}}
    </tbody>
    </table>
    </div>
    {{#remark}}
    <p class="remark">{{.}}</p>
    {{/remark}}
    </details>
    {{/tables}}
    </details></section>
    {{/sections}}
    </main>
    <footer><p>{{footer}}</p></footer>
    <script>
    //<![CDATA[
    {{{script}}}
    //]]>
    </script>
    </body>
    </html>

    """
}

/// The style sheet of the page, for light and dark screens, phones and paper.
enum PageStyle {
  /// The style sheet.
  static let text = """
    \(Palette.styleSheet(scope: "figure svg"))
    :root{color-scheme:light dark;--paper:#ffffff;--card:#f6f8fa;--warn:#fff4e5}
    @media screen and (prefers-color-scheme:dark){:root{--paper:#0d1117;--card:#151b23;--warn:#33220c}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
    header,main,footer{max-width:84rem;margin:0 auto;padding:0 1.25rem}
    header{padding-top:1.5rem}
    h1{font-size:1.6rem;line-height:1.2;margin:0}
    section{margin:2rem 0;padding-top:.75rem;border-top:1px solid var(--grid)}
    summary{cursor:pointer;margin:0 0 .25rem}
    summary:focus-visible{outline:2px solid var(--track);outline-offset:2px}
    h2{display:inline;font-size:1.3rem;overflow-wrap:anywhere}
    h3{display:inline;font-size:1rem}
    .conclusions{margin:.75rem 0}
    .conclusions div{display:flex;flex-wrap:wrap;gap:0 1rem;margin:.35rem 0}
    .conclusions dt{flex:0 0 10rem;font-weight:600}
    .conclusions dd{flex:1 1 20rem;margin:0;max-width:60rem;overflow-wrap:anywhere}
    header p,.lead{color:var(--muted);margin:.25rem 0 .75rem;overflow-wrap:anywhere}
    a{color:var(--track)}
    nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.5rem 0;padding:0}
    .facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.5rem 1.25rem;margin:1rem 0}
    .facts dt{color:var(--muted);font-size:.85rem}
    .facts dd{margin:0;font-size:1.1rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
    .warning,.diagnosis,.note{margin:.5rem 0;padding:.4rem .75rem;border-left:4px solid var(--muted);\
    background:var(--card);overflow-wrap:anywhere}
    .warning,.diagnosis{border-color:var(--rejected);background:var(--warn)}
    .figures{columns:2 30rem;column-gap:2.5rem;margin:1.5rem 0 0}
    figure{margin:0 0 2rem;break-inside:avoid}
    figure svg{display:block;width:100%;height:auto;max-width:46rem}
    figure svg text{font-family:system-ui,sans-serif;paint-order:stroke;stroke:var(--paper);\
    stroke-width:3px;stroke-linejoin:round}
    figure svg image{mix-blend-mode:multiply}
    @media (prefers-color-scheme:dark){figure svg image{mix-blend-mode:normal}}
    figure svg[data-panels]{cursor:crosshair}
    figure .mark{fill:var(--track);fill-opacity:.15;stroke:var(--track)}
    figure output{display:block;height:1.4em;font-size:.875rem;line-height:1.4;color:var(--muted);\
    font-variant-numeric:tabular-nums}
    @media (hover:none){figure output{display:none}}
    code{font:.85rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
    figcaption,.remark{color:var(--muted);font-size:.875rem;line-height:1.4;max-width:46rem}
    .table{margin:1.5rem 0}
    .table div{overflow:auto;max-height:36rem}
    .table div:focus-visible{outline:2px solid var(--track);outline-offset:2px}
    .remark{margin:.5rem 0}
    table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
    th,td{padding:.3rem .9rem .3rem 0;text-align:left;white-space:nowrap;border-bottom:1px solid var(--grid)}
    thead th{color:var(--muted);font-weight:500;position:sticky;top:0;background:var(--paper)}
    thead button{all:unset;cursor:pointer}
    thead button:focus-visible{outline:2px solid var(--track)}
    th[aria-sort=ascending] button::after{content:" \u{25B2}"}
    th[aria-sort=descending] button::after{content:" \u{25BC}"}
    tbody th{font-weight:500}
    th.number,td.number{text-align:right}
    footer{color:var(--muted);font-size:.85rem;padding-top:1rem;padding-bottom:2rem}
    @media screen and (max-width:36rem){figure svg g[font-size]{font-size:17px}}
    @media print{body{font-size:11pt}figure,table{break-inside:avoid}.figures{columns:1}nav,figure output{display:none}.table div{overflow:visible;max-height:none}}
    """
}
