"""How Sphinx makes the site of the assembled pages; `make docs` runs it, and a warning fails it."""

project = "goldfish"
html_title = "goldfish"
html_theme = "furo"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#b3400a", "color-brand-content": "#b3400a"},
    "dark_css_variables": {"color-brand-primary": "#ff9a5c", "color-brand-content": "#ff9a5c"},
}

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
myst_heading_anchors = 4  # a heading is linked to as on any forge: page.md#its-words
copybutton_prompt_text = "$ "

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
suppress_warnings = [
    "ref.python",  # a name that two modules have: both are right
]
