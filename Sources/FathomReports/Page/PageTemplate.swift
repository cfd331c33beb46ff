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
    <section id="{{identifier}}">
    <h2>{{heading}}</h2>
    {{#lead}}
    <p class="lead">{{.}}</p>
    {{/lead}}
    {{#hasFacts}}
    <dl class="facts">
    {{#facts}}
    <div><dt>{{term}}</dt><dd>{{value}}</dd></div>
    {{/facts}}
    </dl>
    {{/hasFacts}}
    {{#messages}}
    <p class="{{kind}}"><strong>{{label}}</strong> {{text}}</p>
    {{/messages}}
    {{#hasFigures}}
    <div class="figures">
    {{#figures}}
    <figure id="{{identifier}}">
    <h3>{{heading}}</h3>
    {{#drawing}}
    {{{.}}}
    {{/drawing}}
    <figcaption>{{caption}}</figcaption>
    </figure>
    {{/figures}}
    </div>
    {{/hasFigures}}
    {{#tables}}
    <div class="table" role="region" aria-label="{{heading}}" tabindex="0">
    <table>
    <caption>{{heading}}</caption>
    <thead><tr>{{#columns}}<th scope="col"{{#isNumber}} class="number"{{/isNumber}}>{{text}}</th>{{/columns}}</tr></thead>
    <tbody>
    {{#rows}}
    <tr>{{#cells}}{{#isHeading}}<th scope="row">{{text}}</th>{{/isHeading}}{{^isHeading}}<td{{#isNumber}} class="number"{{/isNumber}}>{{text}}</td>{{/isHeading}}{{/cells}}</tr>
    {{/rows}}
    </tbody>
    </table>
    {{#remark}}
    <p class="remark">{{.}}</p>
    {{/remark}}
    </div>
    {{/tables}}
    </section>
    {{/sections}}
    </main>
    <footer><p>{{footer}}</p></footer>
    </body>
    </html>

    """
}
