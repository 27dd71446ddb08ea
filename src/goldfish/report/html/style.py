"""How the page looks: by day, by night, on a narrow screen and on paper."""

STYLE = """
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--faint:#8c959f;
--line:#d0d7de;--panel:#f6f8fa;--good:#1a7f37;--good-back:#dafbe1;--bad:#cf222e;--bad-back:#ffebe9;
--doubt:#7d5a00;--doubt-back:#fff8c5;--bar:#54aeff;--bar-soft:#b6dcff;--fault:#bc4c00;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--ink:#e6edf3;--soft:#9da7b3;
--faint:#7d8590;--line:#30363d;--panel:#161b22;--good:#56d364;--good-back:#12301c;--bad:#ff7b72;--bad-back:#3c1618;
--doubt:#e3b341;--doubt-back:#33270a;--bar:#388bfd;--bar-soft:#1f3f6b;--fault:#f0883e;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,
"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
main{max-width:980px;margin:0 auto;padding:24px 20px 64px}
h1{font-size:1.9rem;line-height:1.2;margin:.2em 0 .3em}
h2{font-size:1.35rem;margin:2.2em 0 .6em;padding-top:.6em;border-top:1px solid var(--line)}
h3{font-size:1.1rem;line-height:1.35;margin:.5em 0 .4em}
h4{font-size:.8rem;margin:1.1em 0 .3em;color:var(--soft);text-transform:uppercase;
letter-spacing:.04em}
p{margin:.4em 0}
a{color:var(--link)}
.lead{font-size:1.1rem}
.soft,figcaption,footer{color:var(--soft);font-size:.88rem}
.good{color:var(--good)}.bad{color:var(--bad)}.doubt{color:var(--doubt)}
code,pre{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans Mono",
"Noto Sans Mono CJK SC",monospace}
pre{margin:.3em 0;padding:10px 12px;background:var(--panel);border:1px solid var(--line);
border-radius:6px;white-space:pre-wrap}
pre.command{border-left:4px solid var(--link);user-select:all}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem;width:100%}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th,td{overflow-wrap:normal}td:first-child{min-width:180px}
thead th{color:var(--soft);font-weight:600}
td.held{background:var(--good-back)}td.broken{background:var(--bad-back)}
td.unknown{background:var(--doubt-back)}td.none{color:var(--faint)}
.matrix td,.matrix thead th+th{min-width:96px}
.figures{display:flex;flex-wrap:wrap;gap:12px;margin:1em 0}
.figure{flex:1 1 150px;padding:10px 14px;background:var(--panel);border:1px solid var(--line);
border-radius:8px}
.figure b{display:block;font-size:1.5rem;line-height:1.25}
article{margin:1.4em 0 2.4em;padding:14px 18px 18px;border:1px solid var(--line);
border-left:5px solid var(--bad);border-radius:8px}
article.known{border-left-color:var(--doubt)}
.chip{display:inline-block;padding:1px 9px;margin-right:6px;border-radius:20px;font-size:.82rem;
font-weight:600;background:var(--panel);border:1px solid var(--line)}
.chip.word{background:var(--bad-back);color:var(--bad);border-color:transparent}
.sentence{font-size:1.05rem;padding:8px 12px;background:var(--bad-back);border-radius:6px}
.columns{display:grid;grid-template-columns:1fr 1fr;gap:4px 24px}
.columns>*{min-width:0}
.index{columns:2;column-gap:28px;padding:0;list-style:none;font-size:.92rem}
.index li{break-inside:avoid;margin-bottom:.35em}
details{margin:.6em 0}summary{cursor:pointer;font-weight:600}
figure{margin:1em 0}
svg{display:block;width:100%;height:auto}
svg text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans Mono",
"Noto Sans Mono CJK SC",monospace;fill:var(--ink)}
.narrow{display:none}
.lane{fill:var(--panel);stroke:var(--line)}
text.place,text.label{paint-order:stroke;stroke:var(--panel);stroke-width:3px}
text.place{font-weight:700;fill:var(--soft)}
.bar{fill:var(--bar)}.beside{fill:var(--bar-soft)}
.fail .bar{fill:none;stroke:var(--bad);stroke-width:1.5}
.unknown .bar{fill:none;stroke:var(--soft);stroke-dasharray:3 2}
.followed .bar{fill:var(--bar);stroke:var(--bad);stroke-width:2}
.culprit .bar{fill:var(--bad-back);stroke:var(--bad);stroke-width:2}
.culprit .label{fill:var(--bad);font-weight:700}
.followed .label{font-weight:700}
.call:hover .bar,.beside:hover{opacity:.7}
.ack{stroke:var(--good);stroke-width:3}.cross{stroke:var(--bad);stroke-width:2.2;fill:none}
.open-end{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:2 2}
.follow{fill:none;stroke:var(--bad);stroke-width:2.6;stroke-dasharray:7 4}
.follow-dot{fill:var(--bad)}.follow-miss{fill:var(--page);stroke:var(--bad);stroke-width:3}
text.bad{fill:var(--bad);font-weight:700}text.turn{font-weight:700}
.wrong{fill:var(--bad)}text.copies{fill:var(--bad);font-weight:700}
details.turn{margin:.35em 0;padding:4px 10px;border:1px solid var(--line);border-radius:6px}
details.turn summary{font-size:.92rem}details.turn[open] summary{margin-bottom:.4em}
.prompt{margin:.3em 0;padding:0;list-style:none;font-size:.9rem;border:1px solid var(--line);
border-radius:6px;background:var(--panel)}
.prompt li{padding:4px 10px;border-left:4px solid transparent;white-space:pre-wrap}
.prompt li+li{border-top:1px solid var(--line)}
.prompt b{display:inline-block;min-width:76px;color:var(--soft);font-weight:600}
.prompt .grave{border-left-color:var(--bad);background:var(--bad-back)}
.prompt .gone{border-left:4px dashed var(--bad);color:var(--bad)}
.prompt .gone>span:first-of-type{text-decoration:line-through;opacity:.85}
q{quotes:none}
.fault{fill:var(--fault);opacity:.17}
.fault-edge{stroke:var(--fault);stroke-dasharray:4 3}
text.fault-name{fill:var(--fault);font-weight:700}
text.tick{fill:var(--faint)}
.plot-line{stroke:var(--line)}.plot-dot{fill:var(--bar);opacity:.75}.plot-dot.fail{fill:var(--bad)}
.plot-dot.unknown{fill:var(--soft)}.plot-bar{fill:var(--bad);opacity:.8}
h4+svg{margin-top:-4px}
.plots h4{text-transform:none;letter-spacing:0;margin:.4em 0 0}
.plots figure{max-width:480px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:8px 24px}
@media (max-width:640px){main{padding:14px 12px 40px}h1{font-size:1.5rem}
.columns{grid-template-columns:1fr}.index{columns:1}article{padding:10px 11px 14px}
.wide{display:none}.narrow{display:block}.matrix th,.matrix td{padding:4px 6px}}
@media print{:root{--page:#fff;--ink:#000;--soft:#333;--faint:#555;--line:#bbb;--panel:#f6f6f6;
--good:#116329;--good-back:#e8f7ec;--bad:#a40e26;--bad-back:#fdeceb;--doubt:#5c4300;
--doubt-back:#fff8dc;--bar:#54aeff;--bar-soft:#b6dcff;--fault:#953800;--link:#000}
*{print-color-adjust:exact}main{max-width:none;padding:0}article,figure,tr{break-inside:avoid}
h2,h3{break-after:avoid}details::details-content{content-visibility:visible;display:block}}
"""
